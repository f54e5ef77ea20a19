import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import { type ErrorCode, errorCatalogue } from '../domain/errors.ts';
import type { ApiToken } from './caller.ts';
import type { Endpoint } from './endpoint.ts';

/** What every route may answer, whatever it does. */
const everywhere: readonly ErrorCode[] = [
  'TOKEN_MISSING',
  'TOKEN_INVALID',
  'ROLE_FORBIDDEN',
  'DATABASE_UNREACHABLE',
  'INTERNAL',
];
const withBody: readonly ErrorCode[] = ['BODY_MALFORMED', 'BODY_TOO_LARGE', 'CONTENT_TYPE_UNSUPPORTED'];

const errorShape = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string().meta({ description: 'what happened and how to mend it' }),
      request_id: z.string(),
      faults: z.array(z.string()).optional(),
    }),
  })
  .meta({ id: 'Error' });

/** The head of the OpenAPI document. */
export const documentHead: NonNullable<FastifyDynamicSwaggerOptions['openapi']> = {
  openapi: '3.1.0',
  info: {
    title: 'hcp-sense',
    version: '1',
    description:
      'The inbox of Invokers and the desk of operators. Deliveries of providers go to /ingress/:source and are described ' +
      'in docs/ingress.md.',
  },
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  security: [{ token: [] }],
};

/** A route in the words of the OpenAPI document: shapes, who may ask, and every code that it may be refused with. */
export const describeRoute = (
  method: string,
  url: string,
  roles: readonly ApiToken['role'][],
  { summary, description, params, query, body, answers, media, forms = [], codes }: Endpoint,
): FastifySchema => {
  const hasShape = params !== undefined || query !== undefined || body !== undefined;
  const all: ErrorCode[] = [
    ...(hasShape ? (['REQUEST_INVALID'] as const) : []),
    ...(body === undefined ? [] : withBody),
    ...(forms.length === 0 ? [] : (['NOT_ACCEPTABLE'] as const)),
    ...everywhere,
    ...codes,
  ];
  const statuses = new Set(all.map((code) => errorCatalogue[code].status));
  const refusals = [...statuses].map((status) => [
    status,
    {
      description: all
        .filter((code, index) => errorCatalogue[code].status === status && all.indexOf(code) === index)
        .map((code) => `\`${code}\`: ${errorCatalogue[code].means}`)
        .join('. '),
      content: { 'application/json': { schema: errorShape } },
    },
  ]);
  return {
    summary,
    description: [`For: ${roles.join(', ')}.`, ...(description === undefined ? [] : [description])].join(' '),
    tags: [url.split('/')[2] ?? method],
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { querystring: query }),
    ...(body === undefined ? {} : { body }),
    response: {
      200: {
        description: 'Done',
        content: {
          [media ?? 'application/json']: { schema: answers },
          ...Object.fromEntries(forms.map((form) => [form.media, { schema: form.answers }])),
        },
      },
      ...Object.fromEntries(refusals),
    },
  };
};
