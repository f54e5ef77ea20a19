/** Opens what a member holds that is encrypted for us: JSON text, or why not, in words that repeat nothing of it. Never throws. */
export type OpenSealed = (sealed: unknown) => Promise<{ text: string } | { fault: string }>;
