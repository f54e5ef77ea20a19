import { CodedError, type ErrorCode } from '../domain/errors.ts';

/** Fastify's own codes that mean one of ours; https://fastify.dev/docs/latest/Reference/Errors/ */
const codes: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'CONTENT_TYPE_UNSUPPORTED',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'BODY_MALFORMED',
  FST_ERR_BAD_URL: 'ROUTE_UNKNOWN',
  FST_ERR_MAX_PARAM_LENGTH: 'ROUTE_UNKNOWN',
};

const read = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

/** Faults of a schema validation, as `path message`; empty where the error is none. */
const validationFaults = (error: unknown): string[] => {
  const found = read(error, 'validation');
  if (!Array.isArray(found)) return [];
  const where = String(read(error, 'validationContext') ?? 'request');
  return found.map(
    (fault) => `${where}${read(fault, 'instancePath') ?? ''}: ${read(fault, 'message') ?? 'invalid'}`,
  );
};

/** What an error that reached the server means to its caller; null where it is a fault of ours. */
export const toCodedError = (error: unknown): CodedError | null => {
  if (error instanceof CodedError) return error;
  const code = codes[String(read(error, 'code'))];
  if (code !== undefined) return new CodedError(code);
  const faults = validationFaults(error);
  if (faults.length > 0) return new CodedError('REQUEST_INVALID', faults.join('; '), { faults });
  const status = read(error, 'statusCode');
  const message = read(error, 'message');
  if (typeof status === 'number' && status >= 400 && status < 500)
    return new CodedError(
      'REQUEST_INVALID',
      typeof message === 'string' ? message.replace(/\.$/, '') : undefined,
    );
  return null;
};
