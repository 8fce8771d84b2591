/** The audiences of weir, and the RSS feeds for them. Pure. */

/** The readers whom news, a report or a listing concerns; also the names of three of the feeds. */
export const audiences = ['professional', 'elder', 'general'] as const
export type Audience = (typeof audiences)[number]

/** The words that assigned an item to each of its audiences; empty for an item without an audience. */
export type AudienceWords = Readonly<Partial<Record<Audience, readonly string[]>>>

/** The feeds of the specification (§2). */
export const feedNames = [...audiences, 'blacklist'] as const
export type FeedName = (typeof feedNames)[number]

/** How a feed describes itself. */
export interface FeedDescription {
  readonly title: string
  readonly description: string
  /** The path of its page on the dashboard. */
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
    description: 'Current scams, how to recognise them, and what to do, in plain words.',
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
    description: 'The latest domains on the block list.',
    page: '/blacklist',
  },
}
