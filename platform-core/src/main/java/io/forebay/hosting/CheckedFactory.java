/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.operations.StartRefused;
import io.forebay.queue.QueueUnavailable;
import io.forebay.service.ComponentFactory;
import io.forebay.service.progress.Unavailable;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentSkipListMap;

/** Remembers of which partitions a component could not be created. Thread-safe. */
final class CheckedFactory<I, O> implements ComponentFactory<I, O> {

  private final String service;
  private final ComponentFactory<I, O> factory;
  private final ConcurrentSkipListMap<Integer, String> failures = new ConcurrentSkipListMap<>();

  CheckedFactory(String service, ComponentFactory<I, O> factory) {
    this.service = service;
    this.factory = factory;
  }

  @Override
  public I create(int partition, O answers) {
    try {
      I created = factory.create(partition, answers);
      if (created == null) {
        failures.put(partition, "returned null");
      }
      return created;
    } catch (Unavailable | QueueUnavailable e) { // it is called again
      throw e;
    } catch (RuntimeException | Error e) {
      failures.put(partition, "threw " + e);
      throw e;
    }
  }

  @Override
  public OptionalLong progress(int partition, OptionalLong first) {
    return factory.progress(partition, first);
  }

  /** Forgets failures before a start. */
  void begin() {
    failures.clear();
  }

  /**
   * @throws StartRefused if a component could not be created
   */
  void mustHaveCreated() {
    Map.Entry<Integer, String> first = failures.firstEntry();
    if (first != null) {
      throw new StartRefused(
          "service %s cannot start: the factory of its component %s for partition %d; correct it, or let it throw Unavailable to be called again (the log has the stack trace)"
              .formatted(service, first.getValue(), first.getKey()));
    }
  }
}
