/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import io.forebay.client.spring.DoorConnectionDetails;
import java.net.URI;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;

/** Connects the application of a test to the door of a {@link ForebayContainer}. */
final class ForebayContainerConnectionDetailsFactory
    extends ContainerConnectionDetailsFactory<ForebayContainer, DoorConnectionDetails> {

  @Override
  protected DoorConnectionDetails getContainerConnectionDetails(
      ContainerConnectionSource<ForebayContainer> source) {
    return new Details(source);
  }

  private static final class Details extends ContainerConnectionDetails<ForebayContainer>
      implements DoorConnectionDetails {

    Details(ContainerConnectionSource<ForebayContainer> source) {
      super(source);
    }

    @Override
    public URI getUrl() {
      return getContainer().url();
    }

    @Override
    public String getToken() {
      return getContainer().token();
    }

    @Override
    public boolean allowsPlainHttp() {
      return true; // the engine may be on another host
    }
  }
}
