/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.machine.Machine;
import io.forebay.machine.SimulatedMachine;
import io.forebay.queue.Fenced;
import io.forebay.queue.GroupOffset;
import io.forebay.queue.Ownership;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.Subscription;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

/**
 * The membership of a process in a group. Its thread takes free partitions that it should own, and
 * gives up those that others should own. If it does not for some time, the group expels it, and
 * others take its partitions although it may still work on them.
 */
final class ClusterSubscription implements Subscription {

  private static final long HEARTBEAT_NANOS = 500_000_000;
  private static final long SESSION_NANOS = 3_000_000_000L;

  private final ClusterQueue queue;
  private final String consumer;
  private final PartitionListener listener;
  private final Set<Integer> owned = new TreeSet<>();
  private final Thread thread;
  private Cluster.Member member = new Cluster.Member();
  private volatile boolean leaving;
  private volatile boolean left;

  ClusterSubscription(ClusterQueue queue, String consumer, PartitionListener listener) {
    this.queue = queue;
    this.consumer = consumer;
    this.listener = listener;
    thread = Machine.thread("member " + consumer).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  @Override
  public void rejoin() {
    queue.locked(() -> {
      group().expel(member);
      return true;
    });
  }

  /** Commits an offset in a transaction of answers. */
  void commit(int partition, GroupOffset offset) {
    group().offsets[partition] = offset;
  }

  /** The number of the last assignment of a partition. */
  int assignment(int partition) {
    return group().assignments[partition];
  }

  /** The brokers refuse the offsets of a member that they have expelled. */
  void mustBeMember() {
    if (member.expelled) {
      throw new Fenced("this member of consumer " + consumer + " was expelled", null);
    }
  }

  private Cluster.Group group() {
    return queue.cluster.group(queue.topic, consumer);
  }

  private void run() {
    join();
    while (!leaving) {
      if (!queue.cluster.isAway()) {
        turn();
      }
      if (!leaving) {
        Machine.park(HEARTBEAT_NANOS);
      }
    }
    giveUpAll();
    queue.locked(() -> {
      group().expel(member);
      return true;
    });
  }

  private void join() {
    member = new Cluster.Member();
    member.thread = thread;
    member.process = SimulatedMachine.current();
    member.seenNanos = Machine.nanos();
    queue.locked(() -> {
      group().members.add(member);
      group().changed();
      return true;
    });
  }

  private void turn() {
    expelTheSilent();
    if (member.expelled) {
      Set<Integer> lost = new TreeSet<>(owned);
      owned.clear();
      lost.forEach(partition -> {
        queue.reassigned(partition);
        listener.lost(partition);
      });
      join();
      return;
    }
    for (int i = 0; i < queue.partitions() && !leaving; i++) {
      int partition = i;
      boolean mine = queue.locked(() -> group().target(partition) == member);
      if (owned.contains(partition) && !mine) {
        giveUp(partition);
      } else if (!owned.contains(partition) && mine && take(partition)) {
        owned.add(partition);
        listener.assigned(partition);
      }
    }
  }

  private boolean take(int partition) {
    return queue.locked(() -> {
      if (member.expelled || group().owners[partition] != null) {
        return false;
      }
      group().owners[partition] = member;
      group().assignments[partition]++;
      return true;
    });
  }

  private void giveUp(int partition) {
    listener.revoking(partition);
    listener.revoked(partition);
    owned.remove(partition);
    queue.reassigned(partition);
    queue.locked(() -> {
      if (group().owners[partition] == member) {
        group().owners[partition] = null;
        group().changed();
      }
      return true;
    });
  }

  private void giveUpAll() {
    for (int partition : new TreeSet<>(owned)) {
      giveUp(partition);
    }
  }

  private void expelTheSilent() {
    queue.locked(() -> {
      long now = Machine.nanos();
      member.seenNanos = now;
      for (Cluster.Member other : List.copyOf(group().members)) {
        if (now - other.seenNanos > SESSION_NANOS) {
          group().expel(other);
        }
      }
      return true;
    });
  }

  @Override
  public String consumer() {
    return consumer;
  }

  @Override
  public void passed(int partition, long position) {
    if (left) {
      throw new IllegalStateException("consumer " + consumer + " has left");
    }
    Cluster.Log log = queue.log(partition);
    queue.locked(() -> {
      if (position > log.end) {
        throw new PositionOutOfRange(queue.name(), partition, position, 0, log.end);
      }
      GroupOffset before = group().offsets[partition];
      if (before == null || before.position() < position) {
        group().offsets[partition] = new GroupOffset(position, "");
      }
      return true;
    });
  }

  @Override
  public Ownership ownership(int partition) {
    return queue.ownership(consumer, partition);
  }

  @Override
  public void close() {
    leaving = true;
    LockSupport.unpark(thread);
    Machine.awaitEnd(thread, Machine.FOREVER);
    left = true;
    queue.left(this);
  }
}
