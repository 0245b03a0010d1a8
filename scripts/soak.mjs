// @ts-check
// npm run soak: the long-running tests in full.
import { measureAll } from './running/measure.mjs'

await measureAll('soak', process.argv.slice(2))
