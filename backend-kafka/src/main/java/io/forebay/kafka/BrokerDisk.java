/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The volume of a broker's log directory, as the broker reports it. Immutable. */
final class BrokerDisk extends FileStore {

  private final String unknown;
  private final OptionalLong total;
  private final OptionalLong usable;

  /**
   * @param unknown the explanation of an empty figure
   */
  BrokerDisk(String unknown, OptionalLong total, OptionalLong usable) {
    this.unknown = unknown;
    this.total = total;
    this.usable = usable;
  }

  /** The same for every broker, whichever is the fullest. */
  @Override
  public String name() {
    return "Kafka brokers";
  }

  @Override
  public String type() {
    return "kafka";
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public long getTotalSpace() throws IOException {
    return told(total);
  }

  @Override
  public long getUsableSpace() throws IOException {
    return told(usable);
  }

  @Override
  public long getUnallocatedSpace() throws IOException {
    return told(usable);
  }

  private long told(OptionalLong figure) throws IOException {
    if (figure.isEmpty()) {
      throw new IOException(unknown);
    }
    return figure.getAsLong();
  }

  @Override
  public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
    return false;
  }

  @Override
  public boolean supportsFileAttributeView(String name) {
    return false;
  }

  @Override
  public <V extends FileStoreAttributeView> @Nullable V getFileStoreAttributeView(Class<V> type) {
    return null;
  }

  @Override
  public Object getAttribute(String attribute) {
    throw new UnsupportedOperationException("a broker does not report attribute " + attribute);
  }
}
