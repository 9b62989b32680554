/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.GroupOffset;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A partition as a member of a consumer group owns it. Thread-safe.
 *
 * @param assignment of the partition to the member; null if it was not assigned
 */
record GroupMember(KafkaSubscription member, TopicPartition partition, @Nullable Long assignment) {

  /**
   * The present generation of the member, which the coordinator compares with a commit; null for
   * good when the partition was revoked or lost, also if it is assigned to the same member again.
   */
  @Nullable ConsumerGroupMetadata generation() {
    return assignment == null ? null : member.generation(partition, assignment);
  }

  /**
   * The offset that the group has committed, read from the brokers.
   *
   * @throws io.forebay.queue.QueueUnavailable if they do not respond
   */
  Optional<GroupOffset> committed() {
    return member.offset(partition);
  }
}
