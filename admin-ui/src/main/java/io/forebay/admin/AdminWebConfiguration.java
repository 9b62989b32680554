/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Configuration;

/**
 * What every controller of this module needs: somebody who decides who may use it. Each
 * auto-configuration that adds a controller imports it.
 */
@Configuration(proxyBeanMethods = false)
public class AdminWebConfiguration {

  AdminWebConfiguration(ObjectProvider<AdminAccess.Checked> access) {
    if (access.getIfAvailable() == null) {
      throw new IllegalStateException(
          "nothing decides who may use the admin page: use forebay-starter-admin, which has"
              + " platform-security, and do not exclude SecurityAutoConfiguration of Forebay");
    }
  }
}
