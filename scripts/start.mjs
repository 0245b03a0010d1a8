// @ts-check
// npm start: runs the product on a machine that has only Node.
import { launch } from './running/launch.mjs'

await launch('main')
