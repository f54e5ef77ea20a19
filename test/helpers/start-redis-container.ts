/** Redis from an image where a Docker engine answers; the last resort, as an image has to be pulled. */
export const startRedisContainer = async (): Promise<{ url: string; stop(): Promise<void> }> => {
  // Loaded here only: it looks for an engine as soon as it is imported.
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await new GenericContainer('redis:8')
    .withExposedPorts(6379)
    .withCommand(['redis-server', '--databases', '4096', '--save', '', '--maxmemory-policy', 'noeviction'])
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .withStartupTimeout(120_000)
    .start();
  return {
    url: `redis://${container.getHost()}:${container.getMappedPort(6379)}`,
    stop: async () => {
      await container.stop();
    },
  };
};
