/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import java.util.List;
import java.util.Map;
import java.util.NavigableMap;

/** What a backend stores, as the checker sees it. */
interface StoredMessages {

  /** The name of the backend. */
  String backend();

  /** The messages of a partition that can be read, by position. */
  NavigableMap<Long, byte[]> messages(String queue, int partition);

  /**
   * The messages that once were in a partition: they are damaged, were moved away by an operator,
   * or were in files that an older copy replaced. Some may be in the partition, too.
   */
  List<Map.Entry<Long, byte[]>> gone(String queue, int partition);
}
