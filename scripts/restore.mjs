// @ts-check
// npm run restore -- FILE: brings back a site from its backup.
import { launch } from './launch.mjs'

await launch('cli/restore')
