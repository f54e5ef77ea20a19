type Entry = { status: number; retry: boolean; means: string; mend: string };

/** docs/errors.md as text. */
export declare const describeErrors: (catalogue: Readonly<Record<string, Entry>>) => string;
