// @ts-check
// npm run soak: the long loops of the tests at full count.
import { measureAll } from './running/measure.mjs'

await measureAll('soak', process.argv.slice(2))
