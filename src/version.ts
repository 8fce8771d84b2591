/** The version of this build, from package.json. */

import manifest from '../package.json' with { type: 'json' }

/** Semantic version, as `/ready` and the command line say it. */
export const version: string = manifest.version
