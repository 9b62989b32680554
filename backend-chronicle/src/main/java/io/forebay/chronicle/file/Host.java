/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import io.forebay.machine.Machine;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.LongSupplier;
import net.openhft.chronicle.queue.RollCycle;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;

/**
 * What the backend uses of the machine; tests replace it.
 *
 * @param roll how long one file is written to
 * @param blockBytes how many bytes of a file are mapped at once; a power of two, at least 8 MiB
 * @param boot identifies the current boot of the host; empty if unknown
 * @param background whether a thread does the periodic work; otherwise the test calls it
 */
public record Host(
    RollCycle roll,
    int blockBytes,
    LongSupplier wallMillis,
    LongSupplier nanos,
    DiskSpace.Probe space,
    Force force,
    Read read,
    Function<SingleChronicleQueue, FrameWriter> writers,
    String boot,
    boolean background) {

  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

  /** Makes the content of a file durable. */
  public interface Force {
    void force(FileChannel file, boolean metadata) throws IOException;
  }

  /** Reads the content of a file, whose pages a bad sector may make unreadable. */
  public interface Read {

    /** Reads as {@link RandomAccessFile} does. */
    Read PLAIN =
        (file, at, into, from, count) -> {
          file.seek(at);
          return file.read(into, from, count);
        };

    /**
     * @return how many bytes were read; -1 at the end of the file
     */
    int read(RandomAccessFile file, long at, byte[] into, int from, int count) throws IOException;
  }

  public static Host real(Path data, RollCycle roll) throws IOException {
    FileStore volume = Files.getFileStore(data);
    return new Host(
        roll,
        64 << 20,
        () -> Machine.now().toEpochMilli(),
        Machine::nanos,
        () -> new DiskSpace.Room(volume.getUsableSpace(), volume.getTotalSpace()),
        FileChannel::force,
        Read.PLAIN,
        FrameWriter::new,
        Files.isReadable(BOOT) ? Files.readString(BOOT).strip() : "",
        true);
  }
}
