// @ts-check
// npm run bench [-- start]: measured figures against peers and limits.
import { measureAll } from './running/measure.mjs'

await measureAll('bench', process.argv.slice(2))
