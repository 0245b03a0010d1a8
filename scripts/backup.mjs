// @ts-check
// npm run backup -- FILE: writes the database, the keys and the files of the site to one file.
import { launch } from './running/launch.mjs'

await launch('cli/backup')
