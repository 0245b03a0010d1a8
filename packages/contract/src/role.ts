import * as z from 'zod/mini'
import { roles } from './access'

/** In its own file, because the login page loads the access table and needs no schemas. */
export const Role = z.enum(roles)
