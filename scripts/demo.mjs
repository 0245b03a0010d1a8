// @ts-check
// npm run demo: the product with seeded people of every role and simulated clouds, for looking around.
import { launch } from './running/launch.mjs'

await launch('cli/demo')
