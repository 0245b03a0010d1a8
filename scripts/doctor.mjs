// @ts-check
// npm run doctor: which engines and parts are found, and what to do about missing ones.
import { launch } from './running/launch.mjs'

await launch('cli/doctor')
