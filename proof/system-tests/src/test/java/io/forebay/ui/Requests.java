/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The requests of a page that have no answer, and those that failed. Used by the thread of the
 * browser.
 *
 * <p>Chromium ends all requests when any address of the machine changes, also those to loopback: a
 * container that starts or stops beside the tests is enough.
 */
final class Requests {

  /** What Chromium calls the failure of a request because an address of the machine changed. */
  static final String NETWORK_CHANGED = "net::ERR_NETWORK_CHANGED";

  private final List<String> unanswered = new ArrayList<>();
  private final Map<String, String> failed = new LinkedHashMap<>();

  private Requests() {}

  /** Follows the requests from now on. */
  static Requests of(Page page) {
    Requests requests = new Requests();
    page.onRequest(request -> requests.unanswered.add(request.url()));
    page.onRequestFinished(request -> requests.unanswered.remove(request.url()));
    page.onRequestFailed(requests::fail);
    return requests;
  }

  private void fail(Request request) {
    unanswered.remove(request.url());
    failed.put(request.url(), request.failure());
  }

  boolean areLostWithTheNetwork() {
    return failed.containsValue(NETWORK_CHANGED);
  }

  void clear() {
    unanswered.clear();
    failed.clear();
  }

  @Override
  public String toString() {
    return "requests without an answer: " + unanswered + ", failed: " + failed;
  }
}
