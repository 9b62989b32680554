/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import com.microsoft.playwright.Page;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The errors that the browser reports on a page. */
final class Complaints {

  private final List<String> all;

  private Complaints(List<String> all) {
    this.all = all;
  }

  /** Collects the errors from now on, without those of a changed network: see {@link Requests}. */
  static Complaints of(Page page) {
    Complaints complaints = new Complaints(new CopyOnWriteArrayList<>());
    page.onConsoleMessage(message -> {
      boolean complains = message.type().equals("error") || message.type().equals("warning");
      if (complains && !message.text().contains(Requests.NETWORK_CHANGED)) {
        complaints.all.add(message.type() + ": " + message.text() + " " + message.location());
      }
    });
    page.onPageError(error -> complaints.all.add("thrown: " + error));
    return complaints;
  }

  /** All errors so far, except those that contain a text. */
  Complaints without(String text) {
    return new Complaints(all.stream().filter(it -> !it.contains(text)).toList());
  }

  List<String> all() {
    return List.copyOf(all);
  }
}
