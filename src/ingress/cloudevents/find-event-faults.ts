import { readPath } from '../read-path.ts';

const required = ['id', 'source', 'type'];
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * What keeps a JSON value from being a CloudEvent of version 1.0, each as a sentence; nothing is filled in.
 * https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md#required-attributes
 */
export const findEventFaults = (event: unknown): string[] => {
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return ['it is not a JSON object'];
  const faults: string[] = [];
  for (const name of required) {
    const value = readPath(event, [name]);
    if (value === undefined || value === null) faults.push(`${name} is missing`);
    else if (typeof value !== 'string' || value === '') faults.push(`${name} is not a text`);
  }
  const version = readPath(event, ['specversion']);
  if (version === undefined || version === null) faults.push('specversion is missing');
  else if (version !== '1.0') faults.push('specversion is not 1.0');
  const binary = readPath(event, ['data_base64']);
  if (binary !== undefined && binary !== null) {
    if (typeof binary !== 'string' || !base64.test(binary)) faults.push('data_base64 is not base64');
    if (Object.hasOwn(event, 'data')) faults.push('it has both data and data_base64');
  }
  return faults;
};
