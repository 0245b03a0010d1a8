// @ts-check
// npm start: the product, on a machine that has Node and nothing else.
import { launch } from './running/launch.mjs'

await launch('main')
