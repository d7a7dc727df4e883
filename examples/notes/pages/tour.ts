/**
 * The tour: what the service demonstrates, a card for each. It needs no JavaScript.
 *
 * @module
 */

import { type Html, html } from "./html.ts";
import { type CardLink, type TourCard, tourCards, type TourParts } from "./tour_cards.ts";

/** The cards, for a page with the style sheet `tour`. */
export function tourSection(parts: TourParts): Html {
  return html`
    <section aria-labelledby="tour">
      <h2 id="tour">What it shows</h2>
      <ul class="tour">${tourCards(parts).map(cardItem)}</ul>
    </section>
  `;
}

function cardItem({ title, text, links, file, code }: TourCard): Html {
  return html`
    <li class="card">
      <h3>${title}</h3>
      <p>${text}</p>
      <p class="links">${links.map(cardLink)}</p>
      <figure>
        <figcaption>${file}</figcaption>
        <pre tabindex="0" aria-label="Code of ${title}"><code>${code}</code></pre>
      </figure>
    </li>
  `;
}

function cardLink({ text, href }: CardLink): Html {
  return html`
    <a href="${href}">${text}</a>
  `;
}
