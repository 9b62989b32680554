/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;

/**
 * A topic as it was found when the queue was opened.
 *
 * @param identity its topic id: another one means that it was deleted and created anew
 */
record Topic(String name, int partitions, String identity) {

  TopicPartition partition(int partition) {
    return new TopicPartition(name, partition);
  }

  List<TopicPartition> all() {
    return IntStream.range(0, partitions).mapToObj(this::partition).toList();
  }

  /** The consumer group of a consumer of this queue. */
  String group(String consumer) {
    return groupPrefix() + consumer;
  }

  /** With which the names of its groups begin. */
  String groupPrefix() {
    return name + "-";
  }
}
