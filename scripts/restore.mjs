// @ts-check
// npm run restore -- FILE: restores a site from its backup.
import { launch } from './running/launch.mjs'

await launch('cli/restore')
