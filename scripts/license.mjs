// @ts-check
// npm run license -- <arguments>: creates a key pair and signs license files.
import { launch } from './running/launch.mjs'

await launch('cli/license')
