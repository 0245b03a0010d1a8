// @ts-check
// npm run doctor: reports which engines and other components are installed, and how to install missing ones.
import { launch } from './running/launch.mjs'

await launch('cli/doctor')
