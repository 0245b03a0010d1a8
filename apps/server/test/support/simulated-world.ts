/** For tests in the browser, which may know the tests of the server but not the server itself. */
export { openWorld, type WorldItem } from '@flotilla/simulated-cloud/world/world'
