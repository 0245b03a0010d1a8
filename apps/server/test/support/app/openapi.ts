import * as z from 'zod/mini'

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.optional(z.boolean()),
  schema: z.looseObject({}),
})
const Content = z.record(z.string(), z.object({ schema: z.looseObject({}) }))
const Operation = z.object({
  operationId: z.string(),
  summary: z.string().check(z.minLength(5)),
  parameters: z.array(Parameter),
  requestBody: z.optional(z.object({ content: Content })),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  responses: z.record(z.string(), z.object({ description: z.string(), content: Content })),
})
/** The part of an OpenAPI document that ours uses. */
export const OpenApiDocument = z.object({
  openapi: z.literal('3.1.0'),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.record(
    z.string(),
    z.record(z.enum(['get', 'post', 'put', 'patch', 'delete']), z.optional(Operation)),
  ),
  components: z.looseObject({ securitySchemes: z.record(z.string(), z.looseObject({ type: z.string() })) }),
})
