// @ts-check
// npm run rotate-key: replaces the master key and seals every stored secret with the new one.
import { launch } from './running/launch.mjs'

await launch('cli/rotate-key')
