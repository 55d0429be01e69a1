/** The field in which a person chooses a nickname. */

import { html } from "./vendor/lit-html.js";

/**
 * @param {string} label
 * @param {{value?: string, placeholder?: string}} what
 */
export const nicknameField = (label, { value = "", placeholder = "" }) =>
  html`<label for="nickname">${label}</label
    ><input
      id="nickname"
      name="nickname"
      maxlength="24"
      autocomplete="off"
      .value=${value}
      placeholder=${placeholder}
    />`;
