// @ts-check
// npm run demo: the product with sample users of every role and simulated clouds, to explore.
import { launch } from './running/launch.mjs'

await launch('cli/demo')
