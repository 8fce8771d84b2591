/** The people weir writes for, and the feeds that are made for them. Pure. */

/** Whom an item of news, a report or a listing concerns; the names of three of the feeds. */
export const audiences = ['professional', 'elder', 'general'] as const
export type Audience = (typeof audiences)[number]

/** For each audience of an item the words that decided; an item that is for nobody has none. */
export type AudienceWords = Readonly<Partial<Record<Audience, readonly string[]>>>

/** The feeds of the specification (§2). */
export const feedNames = [...audiences, 'blacklist'] as const
export type FeedName = (typeof feedNames)[number]

/** A feed's own words, and where its readers look further. */
export interface FeedDescription {
  readonly title: string
  readonly description: string
  /** The page of the dashboard, below the public address. */
  readonly page: `/${string}`
}

export const feedDescriptions: Readonly<Record<FeedName, FeedDescription>> = {
  professional: {
    title: 'weir: high threats, campaigns and security news',
    description:
      'New high-threat indicators, brands that are newly imitated, and news for security teams.',
    page: '/professional',
  },
  elder: {
    title: 'weir: scams that aim at older people',
    description: 'What is going round now, how to know it, and what to do, in plain words.',
    page: '/elder',
  },
  general: {
    title: 'weir: fake brands and consumer news',
    description:
      'Pages that imitate well-known names, what people have reported, and consumer news.',
    page: '/general',
  },
  blacklist: {
    title: 'weir: newly listed domains',
    description: 'Domains that came to the block list last.',
    page: '/blacklist',
  },
}
