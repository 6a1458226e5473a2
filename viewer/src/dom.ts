/// Elements, made safely: text is text, never markup.
type Child = Node | string | null;

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  for (const child of children) if (child !== null) made.append(child);
  return made;
}

export function button(label: string, title: string, press: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", title, "aria-label": title }, label);
  made.addEventListener("click", press);
  return made;
}

/// Of the page's style: "--k0", "--ink", ...
export function css_colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "#888";
}

export function download(name: string, content: Blob | string): void {
  const url = typeof content === "string" ? content : URL.createObjectURL(content);
  const link = element("a", { href: url, download: name });
  link.click();
  if (typeof content !== "string") setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/// For the name of a file: letters, digits, dashes.
export function file_name(text: string, extension: string): string {
  const plain = text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return `${plain || "torsor"}.${extension}`;
}
