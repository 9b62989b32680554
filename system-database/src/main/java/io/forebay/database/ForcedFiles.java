/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.hsqldb.lib.EventLogInterface;
import org.hsqldb.lib.FileAccess;
import org.jspecify.annotations.Nullable;

/**
 * The files of an HSQLDB database. A failure to write or force them is final: the affected commit
 * and every later one throw {@link IllegalStateException}.
 *
 * <p>HSQLDB alone would log the failure and report the commit as successful. Data that was not
 * forced may be missing after a restart. The operating system may mark pages as clean although
 * writing them failed, so a second attempt proves nothing. Thread-safe.
 */
final class ForcedFiles implements FileAccess {

  private final FileAccess files;
  private volatile @Nullable IOException failure;
  private volatile @Nullable Thread closing;

  ForcedFiles(FileAccess files) {
    this.files = files;
  }

  /**
   * @throws IllegalStateException if a file could not be written or forced
   */
  void mustWork() {
    IOException cause = failure;
    if (cause != null) {
      throw failed(cause);
    }
  }

  boolean isFailed() {
    return failure != null;
  }

  /**
   * Discards all further writes of the calling thread, so that it can close a database whose files
   * have failed. Writes of other threads still throw.
   */
  void abandon() {
    closing = Thread.currentThread();
  }

  private boolean isAbandoned() {
    return Thread.currentThread().equals(closing);
  }

  private static IllegalStateException failed(IOException cause) {
    return new IllegalStateException(
        "The embedded database could not write its files ("
            + cause.getMessage()
            + "); repair the disk, then restart, which performs unconfirmed statements again",
        cause);
  }

  private IllegalStateException fail(IOException cause) {
    if (failure == null) {
      failure = cause;
    }
    return failed(cause);
  }

  @Override
  public OutputStream openOutputStreamElement(String name) throws IOException {
    return output(files.openOutputStreamElement(name));
  }

  @Override
  public OutputStream openOutputStreamElementAppend(String name) throws IOException {
    return output(files.openOutputStreamElementAppend(name));
  }

  private Output output(OutputStream stream) throws IOException {
    return new Output(stream, files.getFileSync(stream));
  }

  @Override
  public FileSync getFileSync(OutputStream stream) throws IOException {
    if (!(stream instanceof Output output)) {
      throw new IOException("not a stream of the embedded database's files");
    }
    return output::sync;
  }

  @Override
  public InputStream openInputStreamElement(String name) throws IOException {
    return files.openInputStreamElement(name);
  }

  @Override
  public boolean isStreamElement(String name) {
    return files.isStreamElement(name);
  }

  @Override
  public void createParentDirs(String name) {
    files.createParentDirs(name);
  }

  @Override
  public boolean removeElement(String name) {
    return files.removeElement(name);
  }

  @Override
  public boolean renameElement(String from, String to) {
    return files.renameElement(from, to);
  }

  @Override
  public boolean renameElementOrCopy(String from, String to, EventLogInterface log) {
    return files.renameElementOrCopy(from, to, log);
  }

  private final class Output extends OutputStream {

    private final OutputStream stream;
    private final FileSync sync;

    Output(OutputStream stream, FileSync sync) {
      this.stream = stream;
      this.sync = sync;
    }

    @Override
    public void write(int b) {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      if (isAbandoned()) {
        return;
      }
      mustWork();
      try {
        stream.write(bytes, offset, length);
      } catch (IOException e) {
        throw fail(e);
      }
    }

    void sync() {
      if (isAbandoned()) {
        return;
      }
      mustWork();
      try {
        sync.sync();
      } catch (IOException e) {
        throw fail(e);
      }
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }
  }
}
