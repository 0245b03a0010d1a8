// @ts-check
// npm run licence -- <arguments>: makes a key pair and signs licence files.
import { launch } from './launch.mjs'

await launch('cli/licence')
