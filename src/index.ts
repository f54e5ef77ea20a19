/**
 * For products that embed hcp-sense instead of running it beside them: read a configuration, start the app with a runtime
 * driver of your own, stop it. docs/embed.md shows the whole of it.
 */
export type { App } from './app.ts';
export { startApp } from './app.ts';
export type { LoadedConfig, Role } from './config/loaded-config.ts';
export { readConfig } from './config/read-config.ts';
export { CodedError } from './domain/errors.ts';
export type { ExecAnswer } from './domain/execute.ts';
export type {
  HcpAuthzContext,
  HcpExecOptions,
  HcpExecRequest,
  HcpPack,
  HcpRuntimeDriver,
} from './exec-client/driver.ts';
export { createLogger } from './observe/create-logger.ts';
