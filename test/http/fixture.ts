/** What is listed while the scenario tables run; invented names only. */

/** Listed in this order, and all at once. */
export const listedDomains: readonly string[] = [
  'evil.test',
  'xn--bcher-kva.test',
  'paypa1-login.example.com',
  ...Array.from({ length: 17 }, (_, index) => `shop-${String(index).padStart(2, '0')}.example.net`),
]

/** The list as a file in the import format `domains`. */
export const listedText = `${listedDomains.join('\n')}\n`
