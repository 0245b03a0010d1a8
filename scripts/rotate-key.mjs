// @ts-check
// npm run rotate-key: replaces the master key and re-encrypts every stored secret.
import { launch } from './running/launch.mjs'

await launch('cli/rotate-key')
