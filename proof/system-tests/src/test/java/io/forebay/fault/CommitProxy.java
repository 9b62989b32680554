/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * A proxy between a gateway and PostgreSQL that leaves COMMITs in doubt. It parses only as much of
 * the protocol as needed to find them: messages with a type, a length and a body, after a start-up
 * message without a type.
 */
final class CommitProxy implements AutoCloseable {

  /** The fault that a COMMIT suffers. */
  enum Fault {
    NONE,
    /** The COMMIT is performed; the connection breaks before its answer. */
    ANSWER_LOST,
    /** The COMMIT is performed; its answer never arrives, and the connection stays open. */
    ANSWER_SWALLOWED,
    /** The connection breaks on both sides before the COMMIT arrives. */
    COMMIT_LOST,
    /** The gateway's connection breaks; the server receives the COMMIT a while later. */
    COMMIT_LATE,
    /** The gateway's connection breaks; the server's connection stays open without the COMMIT. */
    COMMIT_NEVER
  }

  private static final int SSL_REQUEST = 80_877_103;
  private static final int GSS_REQUEST = 80_877_104;
  private static final int HEADER_BYTES = 5;
  private static final int ANSWER_BYTES = 8_192;
  private static final long LATE_NANOS = 700_000_000;

  private final ServerSocket entrance;
  private final int serverPort;
  private final String user;
  private final Supplier<Fault> faults;
  private final Map<Fault, Integer> done = new ConcurrentHashMap<>();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  /**
   * @param user the user whose COMMITs are affected
   * @param faults supplies the fault for each of them
   */
  CommitProxy(int serverPort, String user, Supplier<Fault> faults) throws IOException {
    this.serverPort = serverPort;
    this.user = user;
    this.faults = faults;
    this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return entrance.getLocalPort();
  }

  /** How many COMMITs suffered each fault. */
  Map<Fault, Integer> done() {
    return done;
  }

  private void accept() {
    try {
      while (true) {
        Socket client = entrance.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(server);
        Connection connection = new Connection(client, server);
        Thread.ofVirtual().start(connection::answers);
        Thread.ofVirtual().start(connection::requests);
      }
    } catch (IOException e) {
      // closed, or the server is down
    }
  }

  @Override
  public void close() throws IOException {
    entrance.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  /** A client's connection and the corresponding connection to the server. */
  private final class Connection {

    private final Socket client;
    private final Socket server;
    private volatile Fault fault = Fault.NONE;
    private String commitStatement;

    /** The Parse of a COMMIT. It is held until the Bind, so that a fault affects both. */
    private byte[] held = {};

    Connection(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    /** Forwards the server's messages, unless a fault is in progress. */
    void answers() {
      byte[] bytes = new byte[ANSWER_BYTES];
      try {
        int count;
        while ((count = server.getInputStream().read(bytes)) >= 0) {
          if (fault == Fault.NONE) {
            client.getOutputStream().write(bytes, 0, count);
          } else if (fault != Fault.ANSWER_SWALLOWED) {
            break;
          }
        }
      } catch (IOException e) {
        // broken by a fault or by one of the sides
      }
      close(server);
      if (fault != Fault.ANSWER_SWALLOWED) {
        close(client);
      }
    }

    /** Forwards the client's messages one by one. */
    void requests() {
      try {
        DataInputStream in = new DataInputStream(client.getInputStream());
        DataOutputStream out = new DataOutputStream(server.getOutputStream());
        boolean meant = start(in, out);
        while (true) {
          byte type = in.readByte();
          byte[] message = message(type, in);
          if (meant && isParseOfCommit(type, message)) {
            held = message;
          } else if (meant && isBindOfCommit(type, message)) {
            commit(message, in, out);
          } else {
            out.write(message);
          }
        }
      } catch (IOException e) {
        // broken by a fault or by one of the sides
      }
      close(client);
      if (fault != Fault.COMMIT_NEVER) {
        close(server);
      }
    }

    /** Forwards the start-up message; returns whether it names the affected user. */
    private boolean start(DataInputStream in, DataOutputStream out) throws IOException {
      while (true) {
        int length = in.readInt();
        byte[] body = in.readNBytes(length - 4);
        out.writeInt(length);
        out.write(body);
        int code = ((body[0] << 8 | body[1] & 0xff) << 8 | body[2] & 0xff) << 8 | body[3] & 0xff;
        if (code != SSL_REQUEST && code != GSS_REQUEST) {
          return new String(body, StandardCharsets.ISO_8859_1).contains("user\0" + user + "\0");
        }
      }
    }

    private static byte[] message(byte type, DataInputStream in) throws IOException {
      int length = in.readInt();
      ByteArrayOutputStream bytes = new ByteArrayOutputStream(length + 1);
      DataOutputStream message = new DataOutputStream(bytes);
      message.writeByte(type);
      message.writeInt(length);
      message.write(in.readNBytes(length - 4));
      return bytes.toByteArray();
    }

    /**
     * Whether a message parses a COMMIT. The driver parses it once per connection, right before the
     * Bind.
     */
    private boolean isParseOfCommit(byte type, byte[] message) {
      if (type != 'P') {
        return false;
      }
      String[] texts = texts(message);
      if (!texts[1].equals("COMMIT")) {
        return false;
      }
      commitStatement = texts[0];
      return true;
    }

    private boolean isBindOfCommit(byte type, byte[] message) {
      return type == 'B' && texts(message)[1].equals(commitStatement);
    }

    /** The names at the beginning of such a message. */
    private static String[] texts(byte[] message) {
      return new String(
              message, HEADER_BYTES, message.length - HEADER_BYTES, StandardCharsets.UTF_8)
          .split("\0", 3);
    }

    private void commit(byte[] message, DataInputStream in, DataOutputStream out)
        throws IOException {
      Fault chosen = faults.get();
      done.merge(chosen, 1, Integer::sum);
      ByteArrayOutputStream whole = new ByteArrayOutputStream();
      whole.write(held);
      whole.write(message);
      held = new byte[0];
      for (byte type = message[0]; type != 'S'; ) {
        type = in.readByte();
        whole.write(message(type, in));
      }
      fault = chosen;
      switch (chosen) {
        case NONE, ANSWER_LOST, ANSWER_SWALLOWED -> out.write(whole.toByteArray());
        case COMMIT_LOST -> throw new IOException("lost");
        case COMMIT_LATE -> {
          close(client);
          LockSupport.parkNanos(LATE_NANOS);
          out.write(whole.toByteArray());
          LockSupport.parkNanos(LATE_NANOS); // the server's answer ends the wait
        }
        case COMMIT_NEVER -> close(client);
      }
    }

    private void close(Socket socket) {
      sockets.remove(socket);
      try {
        socket.close();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }
}
