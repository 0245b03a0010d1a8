import * as z from 'zod/mini'
import { roles } from './access'

/** Apart from the table of access, which the login page loads and which needs no schemas. */
export const Role = z.enum(roles)
