/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.batch.JobProgress;
import io.forebay.file.DurableFiles;
import io.forebay.text.Formats;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.ExecutionContext;

/**
 * The progress of an import, stored in the step's execution context. For one thread.
 *
 * <p>Its {@link JobProgress} figures count bytes of the file.
 */
final class ImportState {

  private static final String PREFIX = "forebay.import.";
  private static final String BEGUN = PREFIX + "begun";
  private static final String COMMITTED = PREFIX + "committed";
  private static final String OFFSET = PREFIX + "offset";
  private static final String LINE = PREFIX + "line";
  private static final String ACCEPTED = PREFIX + "accepted";
  private static final String REJECTED = PREFIX + "rejected";
  private static final String REJECTS = PREFIX + "rejects";
  private static final String REJECTS_LENGTH = PREFIX + "rejects-length";
  private static final String FINGERPRINT = PREFIX + "fingerprint";
  private static final String FINGERPRINT_END = PREFIX + "fingerprint-end";

  /** {@link Admission} searches for it. */
  private static final String CONTENT = PREFIX + "content";

  /** {@link Admission} searches for it. */
  static final String ADMITTED = PREFIX + "admitted";

  /**
   * When the job instance began. Part of its keys, which distinguishes them from those of other
   * imports.
   */
  final long begunMillis;

  /** When the position was last stored. */
  long committedMillis;

  /** Where the next record begins; 0 if none was read yet. */
  long offset;

  long line = 1;
  long accepted;
  long rejected;
  final Path rejects;
  long rejectsLength;

  /** The fingerprint of the file up to the position read. */
  private String fingerprint = "";

  private long fingerprintEnd;

  /** What the newest execution reads; null if that execution was of an earlier version. */
  Admission.@Nullable Content content;

  /** Whether an execution was admitted; until then nothing was handed over. */
  boolean admitted;

  private ImportState(long begunMillis, Path rejects) {
    this.begunMillis = begunMillis;
    this.committedMillis = begunMillis;
    this.rejects = rejects;
  }

  /** The state at the beginning of a file. */
  static ImportState begin(long nowMillis, Path rejects) {
    return new ImportState(nowMillis, rejects);
  }

  /** The state that an earlier execution of the step left; null if there is none. */
  static @Nullable ImportState of(ExecutionContext context) {
    if (!context.containsKey(BEGUN)) {
      return null;
    }
    ImportState state =
        new ImportState(context.getLong(BEGUN), Path.of(context.getString(REJECTS)));
    state.committedMillis = context.getLong(COMMITTED);
    state.offset = context.getLong(OFFSET);
    state.line = context.getLong(LINE);
    state.accepted = context.getLong(ACCEPTED);
    state.rejected = context.getLong(REJECTED);
    state.rejectsLength = context.getLong(REJECTS_LENGTH);
    state.fingerprint = context.getString(FINGERPRINT);
    state.fingerprintEnd = context.getLong(FINGERPRINT_END, state.offset);
    if (context.containsKey(CONTENT)) {
      state.content = Admission.Content.of(context.getString(CONTENT));
    }
    state.admitted = state.content == null || context.containsKey(ADMITTED);
    return state;
  }

  /** Stores the fingerprint of the file up to a position. */
  void recognize(FileChannel file, long end) throws IOException {
    fingerprint = Fingerprint.of(file, end);
    fingerprintEnd = end;
  }

  /** Whether the file is unchanged up to that position. */
  boolean recognizes(FileChannel file) throws IOException {
    return fingerprint.equals(Fingerprint.of(file, fingerprintEnd));
  }

  void store(ExecutionContext context, long totalBytes) {
    context.putLong(BEGUN, begunMillis);
    context.putLong(COMMITTED, committedMillis);
    context.putLong(OFFSET, offset);
    context.putLong(LINE, line);
    context.putLong(ACCEPTED, accepted);
    context.putLong(REJECTED, rejected);
    context.putString(REJECTS, rejects.toString());
    context.putLong(REJECTS_LENGTH, rejectsLength);
    context.putString(FINGERPRINT, fingerprint);
    context.putLong(FINGERPRINT_END, fingerprintEnd);
    if (content != null) {
      context.putString(CONTENT, content.text());
    }
    if (admitted) {
      context.putString(ADMITTED, "true");
    }
    context.putLong(JobProgress.TOTAL, totalBytes);
    context.putLong(JobProgress.DONE, offset);
  }

  /** Removes what {@link #store} stored of an import that has not begun. */
  static void clear(ExecutionContext context) {
    context.toMap().keySet().stream()
        .filter(key -> key.startsWith(PREFIX))
        .toList()
        .forEach(context::remove);
  }

  /** The state of the completed reading step; null if there is none. */
  static @Nullable ImportState completed(JobRepository repository, StepExecution current) {
    StepExecution last =
        repository.getLastStepExecution(current.getJobExecution().getJobInstance(), ImportJob.STEP);
    return last == null ? null : of(last.getExecutionContext());
  }

  /**
   * The client name in the keys of this import's statements; the rest of a key is the line of the
   * record.
   */
  String client(long instance) {
    return "job:import:%d:%d".formatted(instance, begunMillis);
  }

  /** The name of the rejects file until the import is complete; unique to this import. */
  Path partial(long instance) {
    return rejects.resolveSibling(
        "%s.%d-%d.part".formatted(rejects.getFileName(), instance, begunMillis));
  }

  /**
   * Renames the file of rejects to its final name. May be repeated.
   *
   * @return the path of the file: the final name, unless another file was created there meanwhile
   */
  Path publish(long instance) throws IOException {
    Path partial = partial(instance);
    if (Files.exists(partial)) {
      try {
        Files.createLink(rejects, partial);
      } catch (FileAlreadyExistsException _) {
        if (Files.isSymbolicLink(rejects) || !Files.isSameFile(rejects, partial)) {
          return partial;
        }
      } catch (UnsupportedOperationException | FileSystemException _) {
        Files.move(partial, rejects); // the file system has no hard links
      }
      Files.deleteIfExists(partial);
      DurableFiles.forceDirectory(DurableFiles.directoryOf(partial));
    }
    return rejects;
  }

  /**
   * @param where the path of the rejects
   */
  String figures(Path where) {
    return "%s accepted, %s"
        .formatted(
            Formats.count(accepted, "statement"),
            rejected == 0
                ? "none rejected"
                : "%s rejected (%s)".formatted(Formats.count(rejected, "record"), where));
  }
}
