// @ts-check
// npm run license -- <arguments>: makes a key pair and signs license files.
import { launch } from './running/launch.mjs'

await launch('cli/license')
