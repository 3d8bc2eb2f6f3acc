// Keeps what was typed into a form that was sent after the session had ended or the form had become outdated, in this
// tab, until its owner has logged in or has opened the page again.
"use strict";

{
  const KEY = "ownsona-draft";
  const MAX_AGE_MS = 3_600_000;
  const TYPED = "textarea, input[type=text], input[type=url], input[type=number], input[type=date], input[type=time]";
  const { user, restored } = document.body.dataset;

  /** Return the address that `form` is sent to. A field named "action" would hide the property. */
  const actionOf = (form) => new URL(form.getAttribute("action") || location.pathname + location.search, location.href).href;

  // The values or the version that the form was opened with. Without them, it would overwrite what was changed since.
  const OPENED_WITH = "[name=seen], [name=version]";

  /** Return the fields of `form` that the owner fills in, and what it was opened with. Secrets are not kept. */
  const fieldsOf = (form) =>
    [...form.elements].filter((field) => field.name && !field.matches(`button, fieldset, output, [type=hidden]:not(${OPENED_WITH}), [type=file], select[multiple]`));

  const isKept = (form) =>
    form.getAttribute("method") === "post" && form.querySelector(TYPED) && !form.querySelector("[type=password]");

  function take() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(KEY));
      sessionStorage.removeItem(KEY);
      return kept;
    } catch {
      return null;
    }
  }

  function keep(draft) {
    try {
      sessionStorage.setItem(KEY, JSON.stringify(draft));
    } catch {
      // The browser keeps nothing, or it is too much. Then the text is lost with the session, as without this script.
    }
  }

  function fill(form, draft) {
    for (const field of fieldsOf(form)) {
      const value = draft.values.find(([name, value]) => name === field.name && (!isBox(field) || value === field.value));
      if (!value) continue;
      if (isBox(field)) field.checked = value[2];
      else field.value = value[1];
    }
    const note = Object.assign(document.createElement("div"), { className: "note sec", role: "status" });
    note.append(Object.assign(document.createElement("div"), { className: "body", textContent: restored }));
    form.before(note);
    form.querySelector(TYPED).focus();
  }

  const isBox = (field) => field.matches("[type=checkbox], [type=radio]");
  const isAfterLogin = () => document.referrer.startsWith(`${location.origin}/login/`);
  // The link of 403_csrf.html. Forms would pass the fragment on to the page after them.
  const isOpenedAgain = location.hash === "#unsaved";
  if (isOpenedAgain) history.replaceState(history.state, "", location.pathname + location.search.replace(/&$/, ""));

  const draft = take();
  if (draft && draft.user === user && Date.now() - draft.at < MAX_AGE_MS && (isAfterLogin() || isOpenedAgain || draft.isExpected)) {
    const form = [...document.forms].find((each) => isKept(each) && actionOf(each) === draft.action);
    // The sheet for adding and the editor of a row are pages, too.
    const pages = [...document.querySelectorAll("a[data-add], a[data-edit]")];
    const link = pages.find((each) => each.origin + each.pathname === draft.action.split("?")[0]);
    if (form) fill(form, draft);
    else if (link && !draft.isExpected) {
      keep({ ...draft, isExpected: true });
      location.assign(link.href);
    }
  }

  /** Keep what was typed into `form`, which is sent now and leads to another page. */
  window.keepDraft = (form) => {
    if (!isKept(form)) return;
    const values = fieldsOf(form).map((field) => [field.name, field.value, Boolean(field.checked)]);
    keep({ user, action: actionOf(form), at: Date.now(), values });
  };

  document.addEventListener("submit", (event) => {
    // A script that sends the form itself stays on the page, and calls `keepDraft` if it has to leave.
    if (!event.defaultPrevented) window.keepDraft(event.target);
  });
}
