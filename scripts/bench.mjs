// @ts-check
// npm run bench [-- start]: measures the product against comparable systems and limits.
import { measureAll } from './running/measure.mjs'

await measureAll('bench', process.argv.slice(2))
