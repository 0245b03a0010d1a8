import manifest from '../../../package.json' with { type: 'json' }

/** In a file of its own: whoever imports it gets all of package.json. */
export const VERSION = manifest.version
