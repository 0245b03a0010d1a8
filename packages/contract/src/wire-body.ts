import * as z from 'zod/mini'
import type { Endpoint } from './endpoint'

/** The schema of a body as it is sent: under its wrapper key, with what is next to it. */
export const wireBody = ({ body, wrapper, beside }: Endpoint): z.ZodMiniType | undefined =>
  body && wrapper ? z.object({ [wrapper]: body, ...beside?.shape }) : body
