// @ts-check
// npm run audit -- verify: whether the audit trail is as it was written.
import { launch } from './running/launch.mjs'

await launch('cli/audit')
