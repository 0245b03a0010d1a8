// @ts-check
// npm run audit -- verify: checks whether the audit trail has been tampered with.
import { launch } from './running/launch.mjs'

await launch('cli/audit')
