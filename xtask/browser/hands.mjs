// How a page's controls are used: with a pointer, or by the keys alone.
import { tabTo } from "./stories/keyboard.mjs";

/** With a pointer, with scripts or without. */
export class Pointer {
  constructor(visit) {
    this.visit = visit;
    this.page = visit.page;
  }

  field(id) {
    return this.page.locator(`[id="${id}"]`);
  }

  async write(id, text) {
    await this.field(id).fill(text);
  }

  async choose(id, value) {
    await this.field(id).selectOption(value);
  }

  async press(selector) {
    await this.page.locator(selector).first().click();
  }

  async give(id, file) {
    await this.field(id).setInputFiles(file);
  }

  /** Holds the page against what every page owes. */
  async look(name) {
    await this.visit.check(name);
  }
}

/** By Tab, Enter, Space and text; each stop must be seen. */
export class Keys extends Pointer {
  async write(id, text) {
    await tabTo(this.visit, this.field(id));
    await this.page.keyboard.press("Control+A");
    await this.page.keyboard.type(text);
  }

  async choose(id, value) {
    const field = this.field(id);
    const name = await field.locator(`option[value="${value}"]`).textContent();
    await tabTo(this.visit, field);
    await this.page.keyboard.type(name);
  }

  async press(selector) {
    await tabTo(this.visit, this.page.locator(selector).first());
    await this.page.keyboard.press("Enter");
  }

  async give(id, file) {
    await tabTo(this.visit, this.field(id));
    const asked = this.page.waitForEvent("filechooser");
    await this.page.keyboard.press("Space");
    await (await asked).setFiles(file);
  }

  /** The pages are the same as with a pointer. */
  async look() {}
}
