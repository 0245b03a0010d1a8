// @ts-check
// npm run backup -- FILE: writes the site's database, keys and files to one file.
import { launch } from './running/launch.mjs'

await launch('cli/backup')
