/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.List;
import java.util.Locale;

/** Writes a page of HTML. All text is escaped. */
final class Html {

  private final StringBuilder html = new StringBuilder();

  /** Adds markup as it is. */
  Html raw(String markup) {
    html.append(markup).append('\n');
    return this;
  }

  Html element(String name, String text) {
    return raw("<" + name + ">" + Chart.escaped(text) + "</" + name + ">");
  }

  Html element(String name, String cssClass, String text) {
    return raw("<%s class=\"%s\">%s</%s>".formatted(name, cssClass, Chart.escaped(text), name));
  }

  /**
   * A table that scrolls if it is too wide. The first cell of a row is its heading; a row of one
   * cell is the heading of those below it. A verdict gets a CSS class.
   */
  Html table(String caption, List<String> headings, List<List<String>> rows) {
    String label = Chart.escaped(caption);
    raw("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"" + label + "\"><table>");
    element("caption", caption);
    raw("<thead><tr>");
    headings.forEach(it -> raw("<th scope=\"col\">" + Chart.escaped(it) + "</th>"));
    raw("</tr></thead><tbody>");
    for (List<String> row : rows) {
      raw("<tr>");
      if (row.size() == 1) {
        raw(
            "<th scope=\"rowgroup\" colspan=\"%d\">%s</th></tr>"
                .formatted(headings.size(), Chart.escaped(row.getFirst())));
        continue;
      }
      for (int i = 0; i < row.size(); i++) {
        String text = row.get(i);
        if (i == 0) {
          raw("<th scope=\"row\">" + Chart.escaped(text) + "</th>");
        } else {
          element("td", cssClass(text), text);
        }
      }
      raw("</tr>");
    }
    return raw("</tbody></table></div>");
  }

  private static String cssClass(String text) {
    return switch (text) {
      case "PASS", "MISS" -> text.toLowerCase(Locale.ROOT);
      case Results.NOT_MEASURED, "–", "-" -> "none";
      default -> "";
    };
  }

  @Override
  public String toString() {
    return html.toString();
  }
}
